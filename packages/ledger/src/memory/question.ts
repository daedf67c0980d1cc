import type { Question, QuestionReference } from '../port.ts';
import { findLatest } from './agents.ts';
import { grantKey, grantState } from './grants.ts';
import type { TenantState } from './remembered.ts';

/** Returns the state of a question to a person. Changes nothing. */
export function questionIn(
  tenant: TenantState | undefined,
  question: QuestionReference,
  nowMs: number,
): Question {
  const agent = tenant?.agents.get(question.agentId);
  const asked = agent && findLatest(agent, question.actionId, nowMs);
  if (tenant === undefined || asked === undefined || asked.digest !== question.digest) return NONE;
  if (asked.verdict === 'ALLOW' || asked.final) return NONE;
  const state = grantState(tenant.grants, question, nowMs);
  if (state === 'none') return asked.verdict === 'DEFER' ? { state: 'waiting', expiresAtMs: null } : NONE;
  const grant = tenant.grants.get(grantKey(question));
  return { state, expiresAtMs: state === 'denied' ? null : (grant?.expiresAtMs ?? null) };
}

const NONE: Question = { state: 'none', expiresAtMs: null };
