/** @mandate/plane/alerting: checks the rules of alerts without loading the other parts of a plane. */
export { checkAlerting } from '@mandate/alerter';
