/**
 * Governs a memory client: each operation is decided before it runs, and follows the requirements of the decision. The
 * client is asked which memories and categories exist, and when a memory was made, so that no model can hide these
 * facts.
 */
import type { AgentSource } from '../adapters/agent-source.ts';
import { runUntilAborted } from '../bounded-wait.ts';
import { type ReadDuties, startObliged, UnknownForm } from '../carry-out.ts';
import { callHandler, MandateBlockedError, misused, safely } from '../errors.ts';
import { READ_DUTIES, readableIn } from '../turn/readable-stores.ts';
import type { Agent, Call } from '../types.ts';
import type {
  GovernedMemory,
  MemoryCallOptions,
  MemoryChanges,
  MemoryClient,
  MemoryFacts,
  MemoryOptions,
  OperationName,
  Time,
} from './client.ts';
import { CHANGE_DUTIES, type ChangeDuties, changeIn } from './duties.ts';

type Operation = Extract<Call, { type: 'memory_operation' }>;

/**
 * A client in the form in which the governed operations call it. The client's own types say which fields it really
 * accepts.
 */
type AnyClient = Readonly<Record<string, ((...given: unknown[]) => unknown) | undefined>>;

const NEEDS_FACTS = ['update', 'delete', 'move'];

/**
 * Returns the operations of the client. Each is decided before it runs. The client itself does not change.
 *
 * @param store the name of the store in the policy
 * @throws MandateError SDK_MISUSED
 */
export function governMemory<C extends MemoryClient>(
  mandate: AgentSource,
  store: string,
  { client, agentId, content = 'text', onDecision = () => {} }: MemoryOptions<C>,
): GovernedMemory<C> {
  if (typeof client !== 'object' || client === null) {
    throw misused(
      `The store "${store}" has no client.`,
      'Give the client of the store: `mandate.memory(store, { client })`.',
    );
  }
  const asking = NEEDS_FACTS.find((name) => name in client);
  if (asking !== undefined && client.facts === undefined) {
    throw misused(
      `The client of the store "${store}" has "${asking}", but no "facts".`,
      'Add a function `facts(id)` that returns the category and the times of a memory.',
    );
  }
  const agent = mandate.agent(agentId === undefined ? {} : { agentId });
  const operations = operationsOn(agent, { store, content, client, onDecision });
  const own = Object.entries(operations).filter(
    ([name]) => typeof client[name as OperationName] === 'function',
  );
  return Object.fromEntries(own) as GovernedMemory<C>;
}

type Governed = Required<Omit<MemoryOptions<MemoryClient>, 'agentId'>> & { store: string };

function operationsOn(agent: Agent, { store, client, content, onDecision }: Governed) {
  const call = (name: OperationName, ...given: unknown[]) =>
    (client as AnyClient)[name]?.call(client, ...given);
  const change = (
    operation: Pick<Operation, 'operation'> & Partial<Operation>,
    { origins, ...options }: MemoryCallOptions,
    work: (duties: ChangeDuties, signal: AbortSignal) => unknown,
  ) => {
    const asked: Call = { type: 'memory_operation', store, ...operation, origins, options };
    return ran({ agent, onDecision }, asked, CHANGE_DUTIES, possible, async (duties, signal) => {
      for (const path of duties.creates)
        await call('createCategory', path, operation.toStore ?? store, signal);
      return work(duties, signal);
    });
  };
  const possible: typeof changeIn = (...given) => {
    const duties = changeIn(...given);
    if (duties.creates.length > 0 && client.createCategory === undefined) throw new UnknownForm('creates');
    return duties;
  };
  const existing = async (of = store) => {
    const paths = await client.categories?.(of);
    return paths === undefined ? {} : { existing: [...paths] };
  };
  const factsOf = async (id: string): Promise<MemoryFacts> => {
    const facts = await client.facts?.(id);
    if (facts === null || facts === undefined) throw noSuchMemory(agent, store);
    return facts;
  };
  const measured = (text: string) =>
    content === 'text' ? { content: text } : { contentLength: lengthOf(text) };

  return {
    async search(
      { limit, ...search }: { query: string; limit?: number },
      { origins, ...options }: MemoryCallOptions = {},
    ) {
      const asked: Call = {
        type: 'memory_read',
        stores: [store],
        ...(limit !== undefined && { limits: { [store]: limit } }),
        query: search.query,
        // The program chose the store when it wrapped the client.
        origins: { stores: 'system', ...origins },
        options,
      };
      return ran(
        { agent, onDecision },
        asked,
        READ_DUTIES,
        readableIn,
        async ({ stores, filter }, signal) => {
          const found = stores.find((one) => one.store === store);
          if (found === undefined) return [];
          const most = found.maxResults;
          const results = await call('search', { ...search, limit: most, filter }, signal);
          return Array.isArray(results) && most !== null ? results.slice(0, most) : results;
        },
      );
    },

    async create(
      memory: { category: string; content: string; expiresAt?: Time | null },
      options: MemoryCallOptions = {},
    ) {
      const { category, content: text, expiresAt } = memory;
      const asked = { category, ...measured(text), ...expiry(expiresAt), ...(await existing()) };
      return change({ operation: 'createMemory', ...asked }, options, (duties, signal) =>
        call('create', { ...memory, expiresAt: givenBy(duties, expiresAt ?? null) }, signal),
      );
    },

    async update(id: string, changes: MemoryChanges, options: MemoryCallOptions = {}) {
      const facts = await factsOf(id);
      const { content: text, expiresAt } = changes;
      const asked = {
        ...ageOf(facts),
        ...(text !== undefined && measured(text)),
        ...expiry(expiresAt),
      };
      const kept = expiresAt === undefined ? facts.expiresAt : expiresAt;
      return change({ operation: 'updateMemory', ...asked }, options, (duties, signal) =>
        call('update', id, { ...changes, expiresAt: givenBy(duties, kept) }, signal),
      );
    },

    async delete(id: string, options: MemoryCallOptions = {}) {
      const { category } = await factsOf(id);
      return change({ operation: 'deleteMemory', category }, options, (_duties, signal) =>
        call('delete', id, signal),
      );
    },

    async move(id: string, to: { category: string; store?: string }, options: MemoryCallOptions = {}) {
      const facts = await factsOf(id);
      const toStore = to.store ?? store;
      const asked = {
        ...ageOf(facts),
        ...lengthIn(facts, measured),
        to: to.category,
        ...(toStore !== store && { toStore }),
        ...(await existing(toStore)),
      };
      return change({ operation: 'moveMemory', ...asked }, options, (duties, signal) => {
        const target = { category: to.category, store: toStore, expiresAt: givenBy(duties, facts.expiresAt) };
        return call('move', id, target, signal);
      });
    },

    async createCategory(path: string, options: MemoryCallOptions = {}) {
      const asked = { path, ...(await existing()) };
      return change({ operation: 'createCategory', ...asked }, options, ({ creates }) => ({ creates }));
    },

    async deleteCategory(path: string, options: MemoryCallOptions = {}) {
      const asked = { path, ...(await existing()) };
      return change({ operation: 'deleteCategory', ...asked }, options, (_duties, signal) =>
        call('deleteCategory', path, signal),
      );
    },

    async setDescription(path: string, description: string, options: MemoryCallOptions = {}) {
      const asked = { operation: 'setDescription', path, description } as const;
      return change(asked, options, ({ description: given = description.trim() || null }, signal) =>
        call('setDescription', path, given, signal),
      );
    },

    async prune({ category }: { category?: string } = {}, options: MemoryCallOptions = {}) {
      const asked = category === undefined ? {} : { category };
      return change({ operation: 'prune', ...asked }, options, ({ expiredBefore }, signal) =>
        call('prune', { category: category ?? null, expiredBefore }, signal),
      );
    },
  };
}

/** Runs the work of an allowed call, and settles the call by the result of the work. */
async function ran<Duties>(
  { agent, onDecision }: { agent: Agent; onDecision: Governed['onDecision'] },
  asked: Call,
  names: readonly string[],
  read: ReadDuties<Duties>,
  work: (duties: Duties, signal: AbortSignal) => unknown,
): Promise<unknown> {
  const { decision, duties, signal, settle } = await startObliged(agent, asked, names, read);
  void callHandler(onDecision, decision, safely());
  return runUntilAborted(signal, async (finished) => {
    let result: unknown;
    try {
      result = await work(duties, signal);
    } catch (error) {
      await settle({ status: 'failure' });
      throw error;
    }
    finished();
    await settle({ status: 'success' });
    return result;
  });
}

/** A character is a Unicode code point. */
function lengthOf(text: string): number {
  return [...text].length;
}

function lengthIn({ content, contentLength }: MemoryFacts, measured: (text: string) => object): object {
  return content === undefined ? { contentLength } : measured(content);
}

function ageOf({ category, createdAt, expiresAt }: MemoryFacts) {
  return { category, createdAt: wireOf(createdAt), currentExpiresAt: timeOf(expiresAt) };
}

function expiry(expiresAt: Time | null | undefined) {
  return expiresAt === undefined ? {} : { expiresAt: timeOf(expiresAt) };
}

function timeOf(time: Time | null): string | null {
  return time === null ? null : wireOf(time);
}

function wireOf(time: Time): string {
  return typeof time === 'string' ? time : new Date(time).toISOString();
}

function noSuchMemory({ agentId }: Agent, store: string): MandateBlockedError {
  return new MandateBlockedError('INVALID_ACTION', {
    reason: `The store "${store}" has no memory with this id.`,
    remedy: 'Search for the memory, and use its id.',
    action: { id: '', agentId, type: 'memory_operation' },
    decision: null,
  });
}

/** If a decision does not state the expiry, the expiry of the request is used. */
function givenBy({ expiresAt }: ChangeDuties, asked: Time | null): string | null {
  return expiresAt === undefined ? timeOf(asked) : expiresAt;
}
