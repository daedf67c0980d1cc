/**
 * Claude Agent SDK: hooks that ask before each tool. This program calls the hook as the framework does, because the
 * framework is a binary of 400 MB. With the framework, give `options.hooks` to `query`. `npm run test:claude-agent`
 * runs the hooks in the framework itself.
 */
import { Mandate } from '@mandate/sdk';
import { mandateHooks, mergeHooks } from '@mandate/sdk/claude-agent';

const mandate = new Mandate({ agentId: 'coder', mandate: { allowedTools: ['Read', 'Grep'] } });
const own = {};

const options = {
  hooks: mergeHooks(own, mandateHooks(mandate)),
};

const call = async (event: string, tool: string) => {
  const input = {
    hook_event_name: event,
    session_id: 'session-1',
    tool_name: tool,
    tool_input: { path: '/srv/data.csv' },
    tool_use_id: `toolu_${tool}`,
  };
  const [matcher] = options.hooks[event] ?? [];
  return matcher?.hooks[0]?.(input, input.tool_use_id, { signal: new AbortController().signal });
};

console.log('Read', await call('PreToolUse', 'Read'));
// The framework runs the tool here.
await call('PostToolUse', 'Read');
console.log('Bash', await call('PreToolUse', 'Bash'));
console.log('calls that ran:', await mandate.getCallCount());
