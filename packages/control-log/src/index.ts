/**
 * @mandate/control-log: the control topic as every process sees it. `followControl` folds it and keeps up; whoever changes
 * something appends a record and learns from its own fold what became of it, as every other reader does.
 */
export { type FollowedControl, followControl } from './follow-control.ts';
