/**
 * Every attack on a plane by holders of ordinary keys, with the keys that it needs. `attack.ts` of the parent folder
 * runs all attacks at once. Each attack has its own tenants, so that no attack stops another.
 */
import type { ApiScope, KeyPins } from '@mandate/schemas';
import type { Attack } from './attack.ts';
import { claimWhatIsPinned } from './claim-what-is-pinned.ts';
import { deafReaders } from './deaf-readers.ts';
import { escapeAKill } from './escape-a-kill.ts';
import { expensiveDecisions } from './expensive-decisions.ts';
import { expensiveQuestions } from './expensive-questions.ts';
import { floodOfRefusals } from './flood-of-refusals.ts';
import { floodOfCallers, floodOfLists, floodOfOutcomes, floodOfQuestions } from './floods.ts';
import { type Hoarding, hoardSockets } from './hoard-sockets.ts';
import { hoardStreams } from './hoard-streams.ts';
import { hostileParameters } from './hostile-parameters.ts';
import { largeWrites } from './large-writes.ts';
import { previewsAndLints } from './previews-and-lints.ts';
import { ALERTED, replayAlerts } from './replay-alerts.ts';
import { settleOwnBills } from './settle-own-bills.ts';
import { slowBodies } from './slow-bodies.ts';
import { spendPastTenantLimits } from './spend-past-tenant-limits.ts';
import { waitingRequests } from './waiting-requests.ts';
import { wrongBodies } from './wrong-bodies.ts';

export type AttackerKey = { scopes: readonly ApiScope[]; tenant: string; pins?: KeyPins };

export type NamedAttack = {
  name: string;
  /** The keys of the attack, in the order that the attack expects. */
  keys: readonly AttackerKey[];
  attack: Attack;
  /** If true, only the measured run includes the attack, because it uses much of the machine. */
  isHeavy?: true;
};

const keysOf = (tenant: string, ...scopes: ApiScope[][]): AttackerKey[] =>
  scopes.map((each) => ({ tenant, scopes: each }));

/** The number of connections that an attack opens in each way and keeps open. */
const HOARDED = 400;
const WAYS_TO_HOARD: readonly Hoarding[] = ['silent', 'slow headers', 'kept alive'];
/** The number of streams that the attack opens. A key may have only 500 streams of one kind. */
const STREAMS = 1_200;

export const ATTACKS: readonly NamedAttack[] = [
  { name: 'hostile parameters', keys: keysOf('parameters', ['audit']), attack: hostileParameters },
  { name: 'wrong bodies', keys: keysOf('wrong', ['publish']), attack: wrongBodies },
  {
    name: 'previews and lints',
    keys: keysOf('viewer', ['audit'], ['author']),
    attack: previewsAndLints,
  },
  {
    name: 'expensive decisions',
    keys: keysOf('expensive', ['author'], ['publish']),
    attack: expensiveDecisions,
  },
  { name: 'expensive questions', keys: keysOf('flood', ['audit']), attack: expensiveQuestions },
  { name: 'large writes', keys: keysOf('writer', ['author']), attack: largeWrites },
  { name: 'a flood of lists', keys: keysOf('flood', ['publish']), attack: floodOfLists },
  { name: 'a flood of outcomes', keys: keysOf('flood', ['publish']), attack: floodOfOutcomes },
  { name: 'a flood of callers', keys: keysOf('flood', ['publish']), attack: floodOfCallers },
  { name: 'a flood of questions to people', keys: keysOf('asker', ['publish']), attack: floodOfQuestions },
  {
    name: 'an author who frees an agent from a killed subtree',
    keys: keysOf('subtree', ['operate'], ['author', 'publish']),
    attack: escapeAKill,
  },
  {
    name: 'a caller that contradicts the pins of its key',
    keys: [
      {
        scopes: ['publish'],
        tenant: 'pinned',
        pins: { context: { environment: 'prod' }, principal: { id: 'ann', role: 'user' } },
      },
    ],
    attack: claimWhatIsPinned,
  },
  {
    name: 'people of a tenant who spend beyond its limits',
    keys: [
      ...keysOf('owner', ['operate', 'operate:all']),
      ...keysOf('bounded', ['publish', 'operate', 'author']),
    ],
    attack: spendPastTenantLimits,
  },
  {
    name: 'an agent that settles its own bills',
    keys: keysOf('billed', ['author'], ['publish', 'report']),
    attack: settleOwnBills,
  },
  {
    name: 'a flood of refusals',
    keys: keysOf('refused', ['operate', 'author'], ['publish']),
    attack: floodOfRefusals,
    isHeavy: true,
  },
  {
    name: 'slow bodies',
    keys: keysOf('slow', ['publish'], ['publish']),
    attack: slowBodies(),
    isHeavy: true,
  },
  ...WAYS_TO_HOARD.map((how) => ({
    name: `connections that are hoarded: ${how}`,
    keys: keysOf('hoarder', ['publish']),
    attack: hoardSockets(how, HOARDED),
    isHeavy: true as const,
  })),
  {
    name: 'hoarded streams',
    keys: keysOf('streams', ['publish'], ['audit']),
    attack: hoardStreams(STREAMS),
    isHeavy: true,
  },
  {
    name: 'callers that do not read their answers',
    keys: keysOf('deaf', ['audit'], ['publish']),
    attack: deafReaders(),
    isHeavy: true,
  },
  {
    name: 'requests that wait',
    keys: keysOf('waits', ['publish'], ['publish']),
    attack: waitingRequests(),
    isHeavy: true,
  },
  { name: 'alerts sent again and again', keys: keysOf(ALERTED, ['operate']), attack: replayAlerts },
];
