/**
 * Plays cases on a running plane: actions and answers of people over HTTP, and then every decision as ClickHouse has it.
 *
 * Cases with the same documents share a tenant. Each case has its own ids and persons there, so no case affects
 * another. All questions of an agent wait together, so a case that asks a person has a tenant of its own.
 *
 * All cases run at once. The clock moves to the next time of any step, and all steps of that time are sent in lists.
 */
import { type ApiClient, allOf, rowsOf } from '@mandate/client';
import { type Action, approvalId, type Decision } from '@mandate/schemas';
import { afterAll, beforeAll } from 'vitest';
import type { DecisionCase } from '../../cases/manifest/decision-case.ts';
import { type CasePlane, openCasePlane } from './case-plane.ts';

/** A row of GET /v1/audit/decisions. */
export type AuditRow = Pick<Decision, 'id' | 'actionId' | 'agentId' | 'verdict' | 'code' | 'reason'> & {
  decidedAt: string;
  obligations: string | null;
  notes: string | null;
  violations: string | null;
  events: string[];
};

/** A decision three times: as the agent got it, as the audit shows the record, and as the columns of its row say. */
export type Played = {
  /** The action as it was sent. */
  readonly asked: Action;
  readonly answered: Decision;
  readonly recorded: Decision;
  readonly row: AuditRow;
  /** A client of the tenant in which the case was played. */
  readonly api: ApiClient;
};

export type CaseToPlay = Omit<DecisionCase, 'why' | 'expected'> & {
  /** True if the persons keep the ids of the case. If absent, each case has its own persons. */
  readonly keepsPersons?: boolean;
};

/**
 * Opens a plane and plays the cases before the tests of a file, and stops the plane after them.
 *
 * @param options.hashKey the key that hashes the fields that policies name
 */
export function playedBeforeAll(cases: readonly CaseToPlay[], options: { hashKey?: string } = {}) {
  let plane: CasePlane;
  let played: ReadonlyMap<string, readonly (Played | null)[]>;
  beforeAll(async () => {
    const startMs = Math.min(...cases.map(({ now }) => Date.parse(now)));
    plane = await openCasePlane({ startMs, ...options });
    played = await playCases(plane, cases);
  });
  afterAll(() => plane?.stop());
  return {
    plane: () => plane,
    of: ({ id }: Pick<CaseToPlay, 'id'>) => mustHave(played.get(id)),
    all: () => [...played.values()].flatMap((steps) => steps.flatMap((one) => one ?? [])),
  };
}

/** Returns what was decided, by the id of the case: an entry for each step, null for the answer of a person. */
async function playCases(
  plane: CasePlane,
  cases: readonly CaseToPlay[],
): Promise<ReadonlyMap<string, readonly (Played | null)[]>> {
  const ofTenant = ({ id, asksPerson, documentsKey }: CaseToPlay) => (asksPerson ? id : documentsKey);
  const byTenant = [...Map.groupBy(cases, ofTenant).values()];
  const tenants = await plane.tenantsUnder(
    byTenant.flatMap((group) => group.slice(0, 1).map(({ documents }) => documents())),
  );
  const groups = byTenant.map((group, at) => ({
    api: tenants[at] as ApiClient,
    playing: group.map((one) => ({ one, due: dueTimes(one), next: 0, answers: [] as (Answer | null)[] })),
  }));
  const times = new Set(groups.flatMap(({ playing }) => playing.flatMap(({ due }) => due)));
  for (const atMs of [...times].sort((a, b) => a - b)) {
    plane.clock.set(atMs);
    await Promise.all(groups.map(({ api, playing }) => playUntil(api, playing, atMs)));
  }
  await plane.atRest();
  const records = await plane.records();
  const played = new Map<string, readonly (Played | null)[]>();
  // Tenants are read one after the other. If 44 of them are read at once on a busy machine, the last answer is too late.
  for (const { api, playing } of groups) {
    const rows = await decisionRows(api);
    const playedAs = ({ asked, answered }: Answer): Played => ({
      ...{ asked, answered, api },
      recorded: mustHave(records.get(answered.id)),
      row: mustHave(rows.get(answered.id)),
    });
    for (const { one, answers } of playing)
      played.set(
        one.id,
        answers.map((answer) => answer && playedAs(answer)),
      );
  }
  return played;
}

type Answer = Pick<Played, 'asked' | 'answered'>;

type Playing = {
  readonly one: CaseToPlay;
  /** When each step is sent, in ms since 1970. */
  readonly due: readonly number[];
  /** The index of the next step. */
  next: number;
  readonly answers: (Answer | null)[];
};

/** A clock does not run backwards: a step with an earlier time than the step before it has the same time. */
function dueTimes({ now, steps }: CaseToPlay): number[] {
  const startMs = Date.parse(now);
  let dueMs = startMs;
  return steps.map(({ at }) => {
    dueMs = Math.max(dueMs, startMs + at);
    return dueMs;
  });
}

/** Plays the steps that are due at this time. All cases send their next step together, as one list. */
async function playUntil(api: ApiClient, playing: readonly Playing[], atMs: number): Promise<void> {
  for (;;) {
    const ready = playing.filter(({ due, next }) => due[next] === atMs);
    if (ready.length === 0) return;
    const asking = ready.flatMap((each) => {
      const step = each.one.steps[each.next];
      return step && 'ask' in step ? [{ each, asked: ofCase(each.one, step.ask) }] : [];
    });
    for (const chunk of chunksOf(asking)) {
      const decisions = await decisionsOn(
        api,
        chunk.map(({ asked }) => asked),
      );
      for (const [at, { each, asked }] of chunk.entries())
        each.answers.push({ asked, answered: decisions[at] as Decision });
    }
    for (const each of ready) {
      const step = each.one.steps[each.next];
      if (step && !('ask' in step)) {
        await answerQuestion(api, each, step);
        each.answers.push(null);
      }
      each.next += 1;
    }
  }
}

/** The gateway takes at most 500 actions in a list. */
function chunksOf<T>(items: readonly T[]): T[][] {
  const chunks: T[][] = [];
  for (let at = 0; at < items.length; at += 500) chunks.push(items.slice(at, at + 500));
  return chunks;
}

async function decisionsOn(api: ApiClient, actions: readonly Action[]): Promise<Decision[]> {
  const query = { waitMs: 20_000 };
  const { results } = await api.post<{ results: { decision: Decision | null; withheld: boolean }[] }>(
    '/v1/actions',
    actions,
    { query },
  );
  return results.map(({ decision, withheld }, at) => {
    if (decision === null || withheld) throw new Error(`no decision on ${actions[at]?.id} came`);
    return decision;
  });
}

/** Answers as a person does: the latest question about the action, by the id that the decision names. */
async function answerQuestion(
  api: ApiClient,
  { one, answers }: Playing,
  step: Exclude<CaseToPlay['steps'][number], { ask: Action }>,
): Promise<void> {
  const actionId = idIn(one, 'approve' in step ? step.approve : step.deny);
  const question = answers.findLast((answer) => answer?.asked.id === actionId);
  if (!question) throw new Error(`${one.id} answers a question that nobody asked`);
  const path = `/v1/approvals/${approvalId(question.answered)}`;
  const reason = 'because';
  if ('approve' in step) await api.post(`${path}/approve`, { reason, expiresInMs: step.forMs });
  else await api.post(`${path}/deny`, { reason });
}

const OWN_IDS = new Set(['turnId', 'idempotencyKey', 'parentActionId']);

/** Returns the action with ids and persons that only this case has. */
function ofCase(one: CaseToPlay, action: Action): Action {
  const own = (id: unknown) => (typeof id === 'string' ? idIn(one, id) : id);
  if (one.keepsPersons) return { ...action, id: idIn(one, action.id) };
  const renamed = (key: string, value: unknown) =>
    OWN_IDS.has(key) || key === 'user_id' ? own(value) : value;
  const copy = JSON.parse(JSON.stringify(action), renamed);
  const { principal } = copy;
  return {
    ...copy,
    id: own(copy.id),
    ...(principal && { principal: { ...principal, id: own(principal.id) } }),
  };
}

/** Returns the id that an action of a case has on the plane. */
export function idIn({ id: caseId }: Pick<CaseToPlay, 'id'>, id: string): string {
  return `${caseId}.${id}`;
}

/** Returns all decisions of the tenant by id, as the audit lists them. */
async function decisionRows(api: ApiClient): Promise<ReadonlyMap<string, AuditRow>> {
  const rows = await allOf(
    rowsOf(api, {
      ...{ path: '/v1/audit/decisions', cursor: 'cursor', pageSize: 1_000 },
      rows: ({ decisions }: { decisions: AuditRow[]; next: string | null }) => decisions,
    }),
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function mustHave<T>(found: T | undefined): T {
  if (found === undefined) throw new Error('the audit does not have every decision');
  return found;
}
