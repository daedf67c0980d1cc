/**
 * Every key of the Redis store, in one place. All keys of a tenant share its hash tag, so that one script may touch them
 * all on a cluster; those of the registry have a tag that no tenant can have.
 *
 * What a rebuild replaces carries the generation in its name: a rebuild writes beside the state that was in force, and a
 * decider of that can never touch the new one. Kill flags, the commands that set them, and `meta`, which says what
 * is in force, belong to no generation.
 */
import type { BudgetLimit, RateLimit, Source } from '@mandate/schemas';
import type { BudgetReference } from '../port.ts';

/** In the order of scripts/parts/keys.lua. */
export function tenantKeys(namespace: string, tenant: string, generation: number): string[] {
  const shard = `${namespace}:{${tenant}}`;
  const prefix = `${shard}:${generation}:`;
  return [
    ...['meta', 'flags', 'commands'].map((name) => `${shard}:${name}`),
    ...GENERATIONAL.map((name) => `${prefix}${name}`),
    prefix,
  ];
}

const GENERATIONAL = [
  'seen',
  'actions',
  'keys',
  'spent',
  'windows',
  'rates',
  'grants',
  'waiting',
  'done',
  'unpublished',
  'answers',
  'plans',
  'running',
  'forget',
  'brief',
];

/** In the order of scripts/parts/registry.lua. */
export function registryKeys(namespace: string): string[] {
  return ['registry', 'tenants', 'flags', 'commands'].map((name) => `${namespace}:{_registry}:${name}`);
}

/** Names of counters are made and taken apart here alone: for scripts they are words. */
export function counterName({ scope, subject, id, windowMs }: BudgetReference): string {
  return JSON.stringify([scope, subject, id, windowMs]);
}

/** The first part of the names of an agent's own counters, which no other agent shares. No id contains a blank. */
export function ownCounters(agentId: string): string {
  return `["agent",${JSON.stringify(agentId)},`;
}

export function budgetNamed(name: string): BudgetReference {
  const [scope, subject, id, windowMs] = JSON.parse(name) as [
    BudgetLimit['scope'],
    string,
    string,
    number | null,
  ];
  return { scope, subject, id, windowMs };
}

type RateReference = Pick<RateLimit, 'agentId' | 'tool' | 'windowMs'>;

export function rateName({ agentId, tool, windowMs }: RateReference): string {
  return JSON.stringify([agentId, tool, windowMs]);
}

export function rateNamed(name: string): RateReference {
  const [agentId, tool, windowMs] = JSON.parse(name) as [string, string | null, number];
  return { agentId, tool, windowMs };
}

export function positionOf({ topic, partition, offset }: Source): string {
  return `${topic}/${partition}/${offset}`;
}

/** A topic may have slashes, what stands behind them has none. */
export function sourceAt(position: string): Source {
  const offsetAt = position.lastIndexOf('/');
  const partitionAt = position.lastIndexOf('/', offsetAt - 1);
  return {
    topic: position.slice(0, partitionAt),
    partition: Number(position.slice(partitionAt + 1, offsetAt)),
    offset: position.slice(offsetAt + 1),
  };
}

/** No id holds a blank. */
export function grantName(of: { agentId: string; actionId: string; digest: string }): string {
  return `${of.agentId} ${of.actionId} ${of.digest}`;
}
