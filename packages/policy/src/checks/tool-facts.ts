import { passed, type StaticCheck } from './check.ts';

/** Records what the policy states about the tool. It blocks nothing: people and the program that calls the tool read it. */
export const toolFacts: StaticCheck = ({ tool }) => {
  const risk = tool?.risk ?? null;
  const idempotent = tool?.idempotent ?? null;
  if (risk === null && idempotent === null) return null;
  const evidence = { ...(risk !== null && { risk }), ...(idempotent !== null && { idempotent }) };
  return () => passed('tool-facts', evidence);
};
