/**
 * Applies the privacy document to a record of the context builder. For its rules, the texts of the record are the
 * arguments `manifest` and `prompts` of an action. If the document seals anything, every text of the record is also
 * sealed for the person, so that it is forgotten together with the person.
 */
import { ERASED, isPlaceholder } from '@mandate/policy';
import type { PersonKeys } from '@mandate/privacy';
import { isMandateError } from '@mandate/runtime';
import { type Action, type ApiKeyRecord, type ContextBuild, contextBuilt, type Json } from '@mandate/schemas';
import { pinClaims } from '../publish/pin-claims.ts';

type Privacy = {
  redact(action: Action, tenant: string): Action;
  sealsPersons(): boolean;
  personKeys: Pick<PersonKeys, 'seal'>;
};

type Person = ContextBuild['principal'];

/** The texts of a record, as the arguments of an action. */
type Texts = { manifest: Json; prompts: Json };

/**
 * @throws HttpProblem PINNED_BY_KEY
 * @returns the record for the log. The texts about an erased person are erased
 */
export function redactBuild(
  privacy: Privacy,
  key: Pick<ApiKeyRecord, 'id' | 'pins'>,
  build: ContextBuild,
): ContextBuild {
  const stated = build.principal === null ? {} : { principal: build.principal };
  const person = pinClaims(key, stated)?.claims.principal ?? build.principal;
  const { manifest_builder: step } = build.steps;
  const { question_type, ...manifest } = step.output ?? { question_type: null };
  const given = { manifest, prompts: step.prompt_debug };
  const { texts, principal } = redactedTexts(privacy, build, { texts: given, person });
  return contextBuilt.shape.build.parse({
    ...build,
    principal,
    steps: {
      manifest_builder: {
        ...step,
        output: question_type === null ? null : { ...membersOf(texts.manifest), question_type },
        prompt_debug: texts.prompts,
      },
    },
  });
}

function redactedTexts(
  { redact, sealsPersons, personKeys }: Privacy,
  { id, tenant, agentId }: ContextBuild,
  { texts, person }: { texts: Texts; person: Person },
): { texts: Texts; principal: Person } {
  const action: Action = {
    ...{ id, agentId, type: 'tool_call', tool: 'context-builder', args: texts },
    ...(person !== null && { principal: person }),
  };
  try {
    const redacted = redact(action, tenant);
    const args = redacted.type === 'tool_call' ? membersOf(redacted.args ?? {}) : {};
    const seal = (text: string) =>
      person === null || !sealsPersons() || isPlaceholder(text)
        ? text
        : (personKeys.seal(tenant, person.id, text) ?? ERASED);
    const { manifest = {}, prompts = null } = args;
    return {
      texts: { manifest: changeTexts(manifest, seal), prompts: changeTexts(prompts, seal) },
      principal: redacted.principal ?? null,
    };
  } catch (error) {
    if (!isMandateError(error, 'PERSON_ERASED')) throw error;
    // Nothing about the person is recorded. The other records of the list still are.
    const erase = (value: Json) => changeTexts(value, () => ERASED);
    return { texts: { manifest: erase(texts.manifest), prompts: erase(texts.prompts) }, principal: null };
  }
}

function membersOf(value: Json): { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

function changeTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => changeTexts(item, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, changeTexts(one, change)]));
}
