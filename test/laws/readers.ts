/** Lists every reader of outside input, by name. Each takes a text and does all the work that the text causes. */

import { filesInMemory, loadAgentManifest, readAgentManifest } from '@mandate/agent-manifest';
import { checkAlerting } from '@mandate/alerter';
import { loadControl } from '@mandate/control';
import { actionDigest, compileActionRedaction, compileGlobs, stepBudgetOfAction } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { loadPrivacy, redactPieces } from '@mandate/privacy';
import {
  type Action,
  action,
  JsonFault,
  placeOf,
  readActionsRecord,
  readControlRecord,
  readJson,
  readSome,
} from '@mandate/schemas';

const bytes = (text: string) => new TextEncoder().encode(text);
const call = (
  args: Action extends infer A ? (A extends { args?: infer Args } ? Args : never) : never,
): Action => ({
  ...{ id: 'x', agentId: 'a', type: 'tool_call', tool: 't', args },
});
const redacting = compileActionRedaction({ redact: ['secret', 'a*'], hash: [], hashKey: undefined });

function validating(validator: string): (text: string) => unknown {
  const loaded = loadMandates(
    `version: 1\nid: m\nagents: ["*"]\ntoolPolicies: { t: { argumentValidation: { validators: [${validator}] } } }`,
  );
  const rules = loaded.ok ? loaded.mandates[0]?.policies[0]?.tools.get('t')?.argumentRules : undefined;
  if (!rules) throw new Error(`${validator} is no validator`);
  return (text) => rules.validate({ to: text, sql: `SELECT ${text}`, path: text }, stepBudgetOfAction());
}

/** Separates the files in the text of a reader that takes several. */
export const BETWEEN_FILES = '\n---- file ----\n';

export const READERS: readonly [name: string, read: (text: string) => unknown][] = [
  ['JSON', (text) => wrong(() => readJson(text), text)],
  ['a record', (text) => readActionsRecord(bytes(text))],
  ['a body of records', (text) => [...readSome(bytes(text), () => action, { records: 500, faults: 20 })]],
  [
    'a record of arguments',
    (text) => readActionsRecord(bytes(JSON.stringify({ event: 'action.requested', action: call({ text }) }))),
  ],
  ['a change on the log', (text) => refused(() => readControlRecord(bytes(text)))],
  ['mandates', loadMandates],
  ['agents, policies and rules', loadControl],
  ['the privacy document', loadPrivacy],
  ['rules of alerts', (text) => checkAlerting(text, {})],
  ['an agent manifest', (text) => readAgentManifest(text, { models: [] })],
  ['files of an agent manifest', readFiles],
  ['what is personal in a text', redactPieces],
  ['redaction', (text) => redacting(call({ text, secret: text, [text]: 1, list: text.split(',') }))],
  ['a digest', (text) => actionDigest(call({ text, list: text.split(',') }), null, () => '')],
  ['globs', (text) => compileGlobs(text.split(' '))(text)],
  ...[
    'noSystemPaths',
    '{ paths: { within: [a] } }',
    ...['postgres', 'mysql', 'clickhouse'].map((dialect) => `{ readOnlySql: { dialect: ${dialect} } }`),
    'readOnlySql',
    '{ emailDomains: [b.co] }',
  ].map((validator): [string, (text: string) => unknown] => [validator, validating(validator)]),
];

/** The first part of the text is a manifest, and each further part a file beside it: `1.yaml`, `2.yaml`, … */
function readFiles(text: string): unknown {
  const parts = text.split(BETWEEN_FILES).map((part, at) => [`${at}.yaml`, part]);
  return loadAgentManifest(filesInMemory(Object.fromEntries(parts)), '0.yaml', { models: [] });
}

function wrong(read: () => unknown, text: string): unknown {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonFault) return placeOf(text, error.offset);
    throw error;
  }
}

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return error;
  }
}
