import { shortQuestions, WEEKEND_MS } from '@mandate/control/lint';
import type { FollowedControl } from '@mandate/control-log';
import type { Ledger } from '@mandate/ledger';
import type { MandateOfFile } from '@mandate/policy';
import type { Logger } from '@mandate/runtime';
import { DEFAULTS, durationInWords } from '@mandate/schemas';

const NAMED_IN_LOG = 20;

/**
 * Logs at the start which tools ask a person, but wait less than a weekend for the answer, because no policy sets a
 * longer time.
 */
export function warnOfShortQuestions(of: {
  mandates: readonly Pick<MandateOfFile, 'policies'>[];
  followed: Pick<FollowedControl, 'tenants' | 'tenant'>;
  ledger: Pick<Ledger, 'replayMemoryMs'>;
  log: Pick<Logger, 'warn'>;
}): void {
  const { mandates, followed, ledger, log } = of;
  const { replayMemoryMs } = ledger;
  const ofFile = mandates.flatMap(({ policies }) => policies.flatMap(({ tools }) => [...tools]));
  const tenants = new Set([DEFAULTS.tenant, ...followed.tenants.keys()]);
  const ofTenants = [...tenants].flatMap((tenant) =>
    [...followed.tenant(tenant).policies.values()].flatMap(({ isArchived, versions }) =>
      isArchived ? [] : Object.entries(versions.at(-1)?.document.toolPolicies ?? {}),
    ),
  );
  const short = [ofFile, ofTenants].flatMap((tools) => shortQuestions(tools, replayMemoryMs));
  const tools = [...new Set(short)];
  if (tools.length === 0) return;
  const [lives, weekend] = [replayMemoryMs, WEEKEND_MS].map(durationInWords);
  log.warn(
    { count: tools.length, tools: tools.slice(0, NAMED_IN_LOG) },
    `questions to a person end after ${lives}, before a weekend (${weekend}) is over: set questionMs of these tools, or MANDATE_DECIDER_REPLAY_MEMORY_MS`,
  );
}
