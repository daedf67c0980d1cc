/**
 * The policy engine of the plane in a web worker. The worker may compile schemas to functions, but the pages may not.
 */
import { loadControl } from '@mandate/control';
import { controlWidening, lintControl, narrowing, widening } from '@mandate/control/lint';
import type { DocumentFault } from '@mandate/policy/documents';
import type { PolicyDocument } from '@mandate/schemas';
import { stringify } from 'yaml';
import { controlOf } from './control-of.ts';
import { matrixRows } from './matrix-rows.ts';
import type { Asked, Checked, Compared, MatrixRow, Place } from './messages.ts';

addEventListener('message', ({ data: { id, asked } }: MessageEvent<{ id: number; asked: Asked }>) => {
  try {
    postMessage({ id, answer: answer(asked) });
  } catch (error) {
    postMessage({ id, fault: error instanceof Error ? error.message : String(error) });
  }
});

function answer(asked: Asked): string | Checked | Compared | readonly MatrixRow[] {
  if (asked.kind === 'write') return written(asked.policy);
  if (asked.kind === 'compare') return compared(asked);
  return asked.kind === 'check' ? checked(asked) : matrixRows(asked, Date.now());
}

function compared({ before, after }: Extract<Asked, { kind: 'compare' }>): Compared {
  return {
    before: written(before),
    after: written(after),
    widens: widening(before, after),
    narrows: narrowing(before, after),
  };
}

function written(policy: PolicyDocument): string {
  return stringify({ kind: 'policy', ...policy }, { lineWidth: 100 });
}

function checked({ text, inForce }: Extract<Asked, { kind: 'check' }>): Checked {
  const nothing = { doubts: [], policy: null, widens: null, narrows: null, findings: null };
  const loaded = loadControl(text);
  if (!loaded.ok) return { ...nothing, faults: loaded.faults.map(placeOf) };
  const { agents, rules, policies } = loaded.documents;
  const [policy] = policies.values();
  if (policy === undefined || policies.size > 1 || agents.size > 0 || rules.size > 0) {
    return { ...nothing, faults: [{ line: 1, column: 1, message: 'write exactly one policy here' }] };
  }
  const nowMs = Date.now();
  const before = inForce.policies.findLast((one) => one.policy.id === policy.id && !one.isArchived);
  return {
    faults: [],
    doubts: loaded.warnings().map(placeOf),
    policy,
    widens: controlWidening(controlOf(inForce), { event: 'policy.published', policy }, nowMs),
    narrows: before === undefined ? [] : narrowing(before.policy, policy),
    findings: lintControl(controlOf(inForce, policy), nowMs).findings,
  };
}

function placeOf({ line, column, path, message }: DocumentFault): Place {
  return { line, column, message: path === '' ? message : `${path}: ${message}` };
}
