/** Builds manifests as the control topic contains them, and applies changes of one tenant. */
import { type ControlRecord, controlRecord } from '@mandate/schemas';
import { type Changed, type ControlFold, foldControl } from '../control-state.ts';

/** Returns the change that publishes a manifest with these agents, each with a policy and a rule of its own. */
export function published(id: string, names: readonly string[] = [], fields: object = {}): object {
  const ids = [id, ...names.map((name) => `${id}.${name}`)];
  const manifest = {
    ...{ id, hash: 'c'.repeat(64), text: '{}', options: '{}' },
    agents: ids.map((own, at) => ({ id: own, ...(at > 0 && { parent: id }) })),
    policies: ids.map((own) => ({ version: 1, id: own, maxCostTotal: 1 })),
    rules: ids.map((own) => ({ version: 1, id: own, policy: own, agents: [own] })),
    ...fields,
  };
  return { event: 'manifest.published', manifest };
}

export function removed(manifestId: string, forced = false): object {
  return { event: 'manifest.removed', manifestId, forced };
}

export function writing(): { fold: ControlFold; put(body: object, fields?: object): Changed } {
  const fold = foldControl();
  let revision = 0;
  const put = (body: object, fields: object = {}) => {
    revision += 1;
    const at = '2026-03-01T12:00:00.000Z';
    const change = { id: `chg-${revision}`, tenant: 'acme', by: 'ann', reason: 'why', at, ...fields };
    const record: ControlRecord = controlRecord.parse({ ...body, change });
    return fold.apply(record, revision);
  };
  return { fold, put };
}
