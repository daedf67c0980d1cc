/** Counts the votes of a council. Neither the order of the voters nor chance breaks a tie. */

export type CouncilStrategy = 'consensus' | 'majority' | 'unanimous' | 'weighted';
type UndecidedReason = 'dissent' | 'no_quorum' | 'no_majority' | 'abstained';

export type CouncilVotes = {
  readonly voters: readonly string[];
  readonly strategy?: CouncilStrategy | undefined;
  /** The options for the votes. Absent: `approve` and `reject`. */
  readonly options?: readonly string[] | undefined;
  /** The weights of voters for the strategy `weighted`. A voter that is not named has the weight 1. */
  readonly weights?: Readonly<Record<string, number>> | undefined;
  /** The decision that is taken if the votes lead to none. */
  readonly undecided?: string | undefined;
  /** The answers by voter. An answer that is not of the form `{"vote": option}` is an abstention. */
  readonly ballots: Readonly<Record<string, unknown>>;
};

export type CouncilResult = {
  /** Null if the votes lead to no decision, and no decision is stated for this case. Then the step fails. */
  readonly decision: string | null;
  readonly decided: boolean;
  /** Why the votes lead to no decision. Null if there is a decision. */
  readonly reason: UndecidedReason | null;
  /** The number of votes for each option; for `weighted`, the sum of their weights. */
  readonly counts: Readonly<Record<string, number>>;
  readonly abstained: readonly string[];
};

export const DEFAULT_OPTIONS: readonly string[] = ['approve', 'reject'];

export function countVotes(given: CouncilVotes): CouncilResult {
  const strategy = given.strategy ?? 'consensus';
  const voters = [...new Set(given.voters)];
  const weightOf = (voter: string) =>
    strategy === 'weighted' ? (ownMember(given.weights ?? {}, voter) ?? 1) : 1;
  const counts = new Map((given.options ?? DEFAULT_OPTIONS).map((option) => [option, 0]));
  const abstained: string[] = [];
  for (const voter of voters) {
    const vote = voteOf(ownMember(given.ballots, voter));
    const before = vote === null ? undefined : counts.get(vote);
    if (vote === null || before === undefined) abstained.push(voter);
    else counts.set(vote, before + weightOf(voter));
  }
  const of = (some: readonly string[]) => some.reduce((sum, voter) => sum + weightOf(voter), 0);
  const tally = { counts, all: of(voters), cast: of(voters) - of(abstained) };
  const outcome = OUTCOMES[strategy](tally);
  const decided = 'decision' in outcome;
  return {
    decision: decided ? outcome.decision : (given.undecided ?? null),
    decided,
    reason: decided ? null : outcome.reason,
    counts: Object.fromEntries(counts),
    abstained,
  };
}

/** Numbers of votes, or sums of weights. `all` includes the abstentions. */
type Tally = { readonly counts: ReadonlyMap<string, number>; readonly all: number; readonly cast: number };
type Outcome = { readonly decision: string } | { readonly reason: UndecidedReason };

const OUTCOMES: Readonly<Record<CouncilStrategy, (tally: Tally) => Outcome>> = {
  consensus: (tally) => (hasQuorum(tally) ? agreed(tally) : { reason: 'no_quorum' }),
  majority: (tally) => (hasQuorum(tally) ? mostOf(tally) : { reason: 'no_quorum' }),
  unanimous: (tally) => (tally.cast === tally.all ? agreed(tally) : { reason: 'abstained' }),
  weighted: (tally) => (hasQuorum(tally) ? mostOf(tally) : { reason: 'no_quorum' }),
};

function hasQuorum({ cast, all }: Tally): boolean {
  return cast * 2 > all;
}

function agreed({ counts, cast }: Tally): Outcome {
  const [option] = [...counts].find(([, count]) => count === cast && count > 0) ?? [];
  return option === undefined ? { reason: 'dissent' } : { decision: option };
}

function mostOf({ counts, cast }: Tally): Outcome {
  const [option] = [...counts].find(([, count]) => count * 2 > cast) ?? [];
  return option === undefined ? { reason: 'no_majority' } : { decision: option };
}

function voteOf(ballot: unknown): string | null {
  if (typeof ballot !== 'object' || ballot === null || !Object.hasOwn(ballot, 'vote')) return null;
  const vote: unknown = Reflect.get(ballot, 'vote');
  return typeof vote === 'string' ? vote : null;
}

/** Undefined for names that an object inherits from its prototype. */
function ownMember<V>(record: Readonly<Record<string, V>>, key: string): V | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
