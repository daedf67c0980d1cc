/** Reads the documents in force, for the policy worker. */
import type { AgentShown, PolicyShown, RuleShown } from '@mandate/control-service';
import { useQuery } from '@tanstack/react-query';
import { type ApiProblem, get, withQuery } from '../data/api.ts';
import type { InForce } from './messages.ts';

/** The maximum number of pages, with 1,000 documents each, that are read. */
const MOST_PAGES = 10;

export function useInForce() {
  return useQuery<InForce, ApiProblem>({ queryKey: ['read', 'in force'], queryFn: inForce });
}

async function inForce(): Promise<InForce> {
  const [agents, rules, policies] = await Promise.all([
    all<AgentShown>('/v1/agents', 'agents'),
    all<RuleShown>('/v1/rules', 'rules'),
    all<PolicyShown>('/v1/policies', 'policies'),
  ]);
  const newest = new Map(policies.map((one) => [one.policy.id, one]));
  const pinned = new Set(
    rules.flatMap(({ rule }) => policiesOf(rule.policy)).filter((name) => isOlder(name, newest)),
  );
  const older = await Promise.all(
    [...pinned].map((name) => {
      const [, id = '', version] = /^(.*)@(\d+)$/.exec(name) ?? [];
      return get<PolicyShown>(withQuery(`/v1/policies/${encodeURIComponent(id)}`, { version }));
    }),
  );
  return {
    agents: agents.map(({ agent }) => agent),
    rules: rules.map(({ rule }) => rule),
    policies: [...older, ...policies].toSorted((a, b) => a.version - b.version),
  };
}

async function all<One>(path: string, name: string): Promise<One[]> {
  const found: One[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = await get<Record<string, unknown>>(withQuery(path, { limit: 1_000, cursor }));
    found.push(...(answer[name] as One[]));
    const { next } = answer as { next: string | null };
    if (next === null) break;
    cursor = next;
  }
  return found;
}

function policiesOf(given: unknown): string[] {
  return [given].flat().filter((one) => typeof one === 'string');
}

function isOlder(name: string, newest: ReadonlyMap<string, PolicyShown>): boolean {
  const [, id = '', version] = /^(.*)@(\d+)$/.exec(name) ?? [];
  const known = newest.get(id);
  return known !== undefined && Number(version) < known.version;
}
