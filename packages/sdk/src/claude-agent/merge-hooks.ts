/** Adds the hooks of Mandate to the hooks that a query already has. */
import type { HookCallback, HookMatcher, HookOutput, Hooks } from './types.ts';

/**
 * Returns all hooks. The framework runs the hooks of an event at the same time. So a hook of the program that changes
 * the arguments of a tool would change the decided arguments. If a `PreToolUse` hook of the program does that, the call
 * is denied.
 */
export function mergeHooks(own: Hooks | undefined, ours: Hooks): Hooks {
  const merged: Hooks = { ...own };
  if (own?.PreToolUse !== undefined) merged.PreToolUse = own.PreToolUse.map(withoutChanges);
  for (const [event, matchers] of Object.entries(ours)) {
    merged[event] = [...(merged[event] ?? []), ...(matchers ?? [])];
  }
  return merged;
}

function withoutChanges(matcher: HookMatcher): HookMatcher {
  return { ...matcher, hooks: matcher.hooks.map(denyingChanges) };
}

function denyingChanges(hook: HookCallback): HookCallback {
  return async (input, toolUseId, options) => {
    const output: HookOutput = await hook(input, toolUseId, options);
    if (output?.hookSpecificOutput?.updatedInput === undefined) return output;
    return {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'A hook changed the arguments of this call after they were decided.',
      },
    } satisfies HookOutput;
  };
}
