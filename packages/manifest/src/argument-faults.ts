/** Checks single values against a JSON Schema, as the arguments of a call are checked. */
import { compileArgumentRules, stepBudgetOfAction } from '@mandate/policy';

export type ArgumentFaults =
  | {
      ok: true;
      /** The total size of the patterns in the schema, in steps per character of a text. */
      patternSize: number;
      /** Returns what is expected. Null if the value is accepted. */
      faultOf: (value: unknown) => string | null;
    }
  | { ok: false; message: string };

const NAME = 'value';

export function argumentFaults(schema: object): ArgumentFaults {
  const rules = compileArgumentRules({
    schema: { type: 'object', properties: { [NAME]: schema }, required: [NAME], additionalProperties: false },
  });
  if (!rules.ok) return { ok: false, message: rules.faults[0]?.message ?? 'is refused' };
  return {
    ok: true,
    patternSize: rules.patternSize,
    faultOf: (value) => rules.validate({ [NAME]: value }, stepBudgetOfAction())?.expected ?? null,
  };
}
