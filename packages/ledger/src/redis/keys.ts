/**
 * Builds every key of the Redis store. All keys of a tenant share its hash tag, so that one script may use them all
 * on a cluster. The keys of the registry have a tag that no tenant can have.
 *
 * Keys whose data a rebuild replaces contain the generation. So a rebuild writes beside the data in use, and a
 * decider of the old generation can never change the new data. Kill flags, the commands that set them, and `meta`,
 * which says which generation is in force, have keys without a generation.
 */
import type { BudgetLimit, LogPosition, RateLimit } from '@mandate/schemas';
import type { CounterUnit } from '@mandate/schemas/core';
import type { BudgetReference } from '../port.ts';

/** Returns the keys of a tenant, in the order of scripts/parts/keys.lua. */
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
  'turns',
];

/** Returns the keys of the registry, in the order of scripts/parts/registry.lua. */
export function registryKeys(namespace: string): string[] {
  return ['registry', 'tenants', 'flags', 'commands'].map((name) => `${namespace}:{_registry}:${name}`);
}

/** Returns the name of a counter. Only this file builds and parses such names. Scripts use them unchanged. */
export function counterName({ scope, subject, id, windowMs, unit }: BudgetReference): string {
  const name = [scope, subject, id, windowMs];
  return JSON.stringify(unit === undefined ? name : [...name, unit]);
}

/**
 * Returns the prefix of the names of an agent's own counters, which no other agent shares. No id contains a space.
 */
export function ownCounters(agentId: string): string {
  return `["agent",${JSON.stringify(agentId)},`;
}

export function budgetNamed(name: string): BudgetReference {
  const [scope, subject, id, windowMs, unit] = JSON.parse(name) as [
    BudgetLimit['scope'],
    string,
    string,
    number | null,
    CounterUnit?,
  ];
  return { scope, subject, id, windowMs, ...(unit !== undefined && { unit }) };
}

type RateReference = Pick<RateLimit, 'agentId' | 'tool' | 'windowMs'>;

export function rateName({ agentId, tool, windowMs }: RateReference): string {
  return JSON.stringify([agentId, tool, windowMs]);
}

export function rateNamed(name: string): RateReference {
  const [agentId, tool, windowMs] = JSON.parse(name) as [string, string | null, number];
  return { agentId, tool, windowMs };
}

export function positionOf({ topic, partition, offset }: LogPosition): string {
  return `${topic}/${partition}/${offset}`;
}

/** Parses a log position. A topic may contain slashes, but partition and offset do not. */
export function sourceAt(position: string): LogPosition {
  const offsetAt = position.lastIndexOf('/');
  const partitionAt = position.lastIndexOf('/', offsetAt - 1);
  return {
    topic: position.slice(0, partitionAt),
    partition: Number(position.slice(partitionAt + 1, offsetAt)),
    offset: Number(position.slice(offsetAt + 1)),
  };
}

/** A space separates the parts, because no id contains a space. */
export function grantName(of: { agentId: string; actionId: string; digest: string }): string {
  return `${of.agentId} ${of.actionId} ${of.digest}`;
}
