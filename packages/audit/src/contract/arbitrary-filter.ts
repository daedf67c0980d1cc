/** Random filters for a random history. Often a filter is empty. */
import { CODES, VERDICTS } from '@mandate/schemas';
import fc from 'fast-check';
import { SPAN_MS, START_MS } from '../arbitrary-history.ts';
import type { Filter } from './fold-history.ts';

const DAY_MS = 86_400_000;
export const arbitraryMoment = fc.integer({ min: START_MS - DAY_MS, max: START_MS + SPAN_MS + DAY_MS });
const some = <T>(...values: T[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });

export const arbitraryFilter: fc.Arbitrary<Filter> = fc
  .array(
    fc.oneof(
      fc.record({ agentId: some('a-1', "o'brien\\", 'zwölf✓') }),
      fc.record({ tool: some('get_user', 'send_certificate') }),
      fc.record({ model: some('claude-x', 'llama-y') }),
      fc.record({ type: some('tool_call' as const, 'llm_call' as const) }),
      fc.record({ verdict: some(...VERDICTS) }),
      fc.record({ code: some(...CODES) }),
      fc.record({ shadow: some('BLOCK' as const, 'UNKNOWN' as const, 'differs' as const) }),
      fc.record({ kind: some('first' as const, 'duplicate' as const) }),
      fc.record({ principal: some('u-1', 'u-2') }),
      fc.record({ role: some('clerk') }),
      fc.record({ policy: some('pol_a', 'pol_a@2', 'pol_b@2', 'pol') }),
      fc.record({ mandate: some('m-1', 'mnd_2') }),
      fc.record({ minChargedMicros: fc.nat(2_000_000) }),
      fc.record({ fromMs: arbitraryMoment }),
      fc.record({ toMs: arbitraryMoment }),
    ),
    { maxLength: 2 },
  )
  .map((parts) => Object.assign({}, ...parts));
