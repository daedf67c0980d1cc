/** Decides the steps of a case under its documents, with a clock that stands at the time of each step. */

import type { MandatesUnderControl } from '@mandate/control';
import { type OfflineDecider, offlineDecider } from '@mandate/engine';
import { loadManifest } from '@mandate/manifest';
import { contentFinders } from '@mandate/privacy';
import { manualClock } from '@mandate/runtime';
import { type Action, actionRequested, type Decision } from '@mandate/schemas';
import { stringify } from 'yaml';
import { type CaseDocument, existingTextOf, textOf } from './manifest-cases.ts';
import { patchedDocument } from './patched-document.ts';

export type GivenManifest = {
  readonly manifest: CaseDocument;
  readonly policy: CaseDocument;
  readonly mode?: 'strict' | 'lenient';
  readonly environment?: string;
  readonly overlay?: { readonly text: string };
  readonly manifestPatch?: unknown;
  readonly policyPatch?: unknown;
  readonly now: string;
};

export type ManifestStep =
  | { readonly at: number; readonly ask: Action }
  | { readonly at: number; readonly approve: string; readonly forMs: number }
  | { readonly at: number; readonly deny: string };

/**
 * Returns a decision for each step that asks, and null for the others.
 *
 * @param now the time of `at: 0`
 */
export async function playSteps(
  control: MandatesUnderControl,
  now: string,
  steps: readonly ManifestStep[],
): Promise<(Decision | null)[]> {
  const startMs = Date.parse(now);
  const clock = manualClock(startMs);
  const decider = offlineDecider(control, (action) => action, clock, contentFinders);
  const asked = new Map<string, Action>();
  const decisions: (Decision | null)[] = [];
  for (const step of steps) {
    clock.set(startMs + step.at);
    if ('ask' in step) {
      asked.set(step.ask.id, step.ask);
      decisions.push(await ask(decider, step.ask));
    } else {
      await answer(decider, asked, step, clock());
      decisions.push(null);
    }
  }
  return decisions;
}

export function loadedOf({
  manifest,
  policy,
  mode,
  environment,
  overlay,
  manifestPatch,
  policyPatch,
}: GivenManifest) {
  const besidePolicy = `${policy}`.replace(/\.yaml$/, `.${environment}.yaml`);
  const overlayText = overlay?.text ?? (environment === undefined ? undefined : existingTextOf(besidePolicy));
  const loaded = loadManifest({
    manifest: patched(manifest, manifestPatch),
    policy: patched(policy, policyPatch),
    ...(mode !== undefined && { mode }),
    ...(environment !== undefined && { environment }),
    ...(overlayText !== undefined && { overlay: overlayText }),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded;
}

function patched(document: CaseDocument, patch: unknown): string {
  return patch === undefined ? textOf(document) : stringify(patchedDocument(document, patch));
}

async function ask(decider: OfflineDecider, action: Action): Promise<Decision> {
  const record = { event: 'action.requested', action };
  const answered = await decider.answer(new TextEncoder().encode(JSON.stringify(record)));
  if (answered.event !== 'action.decided') throw new Error(JSON.stringify(answered));
  return answered.decision;
}

async function answer(
  { ledger, digestOf }: OfflineDecider,
  asked: ReadonlyMap<string, Action>,
  step: Exclude<ManifestStep, { ask: Action }>,
  nowMs: number,
): Promise<void> {
  const id = 'approve' in step ? step.approve : step.deny;
  const { action } = actionRequested.parse({ event: 'action.requested', action: asked.get(id) });
  await ledger.approve({
    id: `answer-${id}-${nowMs}`,
    by: 'op',
    reason: 'because',
    tenant: 'default',
    agentId: action.agentId,
    actionId: action.id,
    digest: digestOf({ ...action, tenant: 'default' }),
    answer: 'approve' in step ? 'granted' : 'denied',
    expiresAtMs: nowMs + ('approve' in step ? step.forMs : 60_000),
  });
}
