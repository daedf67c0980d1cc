/**
 * Laws of overlays. A policy as its own overlay changes nothing. No policy is wider than itself. A load warns of an
 * overlay if and only if the overlay is wider.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadManifest } from '../load-manifest.ts';
import { isMap } from '../values-at.ts';

const ROLES = ['guest', 'user', 'admin'];
const STORES = ['episodic', 'semantic'];
const TOOLS = ['search', 'pay'];
const CANNOT = ['select_store', 'set_query_params', 'bypass_user_filter'];

const MANIFEST = JSON.stringify({
  version: '1.0',
  name: 'agent',
  memory: { stores: STORES.map((id) => ({ id, type: 'vector', backend: 'x' })) },
  intents: [
    { id: 'ask', triggers: { keywords: ['ask'] } },
    { id: 'chat', triggers: { fallback: true } },
  ],
  tools: [{ id: 'search' }, { id: 'pay', sensitive: true }],
});

const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const limit = some(fc.integer({ min: 1, max: 5 }));
const permission = fc.record(
  {
    allowed_roles: fc.subarray(ROLES),
    rate_limit: fc.record({
      requests: fc.integer({ min: 0, max: 5 }),
      window: fc.constantFrom('1m', '1h', '1d'),
    }),
    requires_confirmation: fc.boolean(),
  },
  { requiredKeys: ['allowed_roles'] },
);

/** The parts of a policy that can be compared: sets of allowed names, and limits. */
type Parts = {
  permissions: Record<
    string,
    { allowed_roles: string[]; requires_confirmation?: boolean; rate_limit?: Rate }
  >;
  mapping: Record<string, string[]>;
  isolation: boolean;
  cannot: string[];
  blocked: string[];
  length: number | undefined;
  calls: number | undefined;
};
type Rate = { requests: number; window: string };

const parts: fc.Arbitrary<Parts> = fc.record({
  permissions: fc.dictionary(fc.constantFrom(...TOOLS), permission),
  mapping: fc.dictionary(fc.constantFrom('ask', 'chat'), fc.subarray(STORES)),
  isolation: fc.boolean(),
  cannot: fc.subarray(CANNOT),
  blocked: fc.subarray(['jailbreak', 'sudo']),
  length: limit,
  calls: limit,
});

/**
 * The parts in which two policies differ. They are few, because a difference in every part would hide a fault in one
 * comparison.
 */
const changedParts = fc.subarray(
  ['permissions', 'mapping', 'isolation', 'cannot', 'blocked', 'length', 'calls'] as const,
  { maxLength: 2 },
);

function policyOf({ permissions, mapping, isolation, cannot, blocked, length, calls }: Parts): object {
  return {
    version: '1.0',
    name: 'policy',
    roles: ROLES.map((id) => ({ id })),
    tool_permissions: permissions,
    memory_policies: { read: { user_isolation: isolation, intent_mapping: mapping, llm_cannot: cannot } },
    guardrails: {
      input: { blocked_patterns: blocked, max_length: length },
      agent: { max_iterations: calls },
    },
  };
}

/** An overlay that turns the policy `from` into `to`: a field that `to` does not have becomes null. */
function overlayTo(from: unknown, to: unknown): unknown {
  if (!isMap(from) || !isMap(to)) return to;
  const names = new Set([...Object.keys(from), ...Object.keys(to)]);
  return Object.fromEntries([...names].map((name) => [name, overlayTo(from[name], to[name]) ?? null]));
}

function widened(from: Parts, overlay: unknown): string[] {
  const loaded = loadManifest({
    manifest: MANIFEST,
    policy: JSON.stringify(policyOf(from)),
    environment: 'test',
    overlay: JSON.stringify(overlay),
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  return loaded.warnings.filter(({ code }) => code === 'OVERLAY_WIDENS').map(({ path }) => path);
}

const WINDOW_SECONDS: Record<string, number> = { '1m': 60, '1h': 3_600, '1d': 86_400 };

/** Computes, from the parts alone, whether `to` allows anything that `from` refuses. */
function isWider(from: Parts, to: Parts): boolean {
  const more = (was: readonly string[] = [], is: readonly string[] = []) =>
    is.some((one) => !was.includes(one));
  const higher = (was = Number.POSITIVE_INFINITY, is = Number.POSITIVE_INFINITY) => is > was;
  const tool = (name: string) => {
    const [was, is] = [from.permissions[name], to.permissions[name]];
    if (is === undefined) return false;
    if (was === undefined) return true;
    const asks = (one: typeof is) => one.requires_confirmation ?? name === 'pay';
    const window = WINDOW_SECONDS[was.rate_limit?.window ?? ''] ?? 0;
    return (
      more(was.allowed_roles, is.allowed_roles) ||
      (asks(was) && !asks(is)) ||
      higher(was.rate_limit?.requests, is.rate_limit?.requests) ||
      (was.rate_limit !== undefined && (WINDOW_SECONDS[is.rate_limit?.window ?? ''] ?? 0) < window)
    );
  };
  const stores = ({ mapping }: Parts, intent: string) => mapping[intent] ?? mapping.chat;
  return (
    TOOLS.some(tool) ||
    ['ask', 'chat'].some((intent) => more(stores(from, intent), stores(to, intent))) ||
    (from.isolation && !to.isolation) ||
    more(to.cannot, from.cannot) ||
    more(to.blocked, from.blocked) ||
    higher(from.length, to.length) ||
    higher(from.calls, to.calls)
  );
}

test('a policy as its own overlay changes neither the policy nor its warnings', () => {
  fc.assert(
    fc.property(parts, (policy) => {
      const text = JSON.stringify(policyOf(policy));
      const plain = loadManifest({ manifest: MANIFEST, policy: text });
      const laid = loadManifest({ manifest: MANIFEST, policy: text, environment: 'test', overlay: text });
      const told = ({ code, path }: { code: string; path: string }) => `${code} ${path}`;
      expect({ ...laid, warnings: laid.warnings.map(told).toSorted() }).toEqual({
        ...plain,
        warnings: plain.warnings.map(told).toSorted(),
      });
    }),
  );
});

test('no policy is wider than itself', () => {
  fc.assert(
    fc.property(parts, (policy) => {
      expect(widened(policy, {})).toEqual([]);
      expect(widened(policy, policyOf(policy))).toEqual([]);
    }),
  );
});

test('warns of an overlay if and only if the overlay is wider', () => {
  fc.assert(
    fc.property(parts, parts, changedParts, (from, other, changed) => {
      const to = { ...from, ...Object.fromEntries(changed.map((part) => [part, other[part]])) };
      const overlay = overlayTo(policyOf(from), policyOf(to));
      expect(widened(from, overlay).length > 0).toBe(isWider(from, to));
    }),
    { numRuns: 500 },
  );
});
