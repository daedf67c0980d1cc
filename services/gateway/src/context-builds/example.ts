import type { ReportedBuild } from '@mandate/schemas';

/** A record of the context builder, for the description of the route. */
export const EXAMPLE: ReportedBuild = {
  event: 'context.built',
  build: {
    id: 'ctx_01ke7t3v8c8d1f0a2b3c4d5e6f7a8b',
    agentId: 'context-builder',
    requestId: 'chat-4711',
    actionId: 'act_7f3a',
    parentActionId: null,
    principal: { id: 'u1' },
    builtAt: '2026-01-05T09:30:53.233Z',
    steps: {
      manifest_builder: {
        enabled: true,
        skipped: false,
        skip_reason: null,
        template_key: 'agent.manifest-builder',
        input: {
          message_chars: 11,
          relationship_chars: 11,
          profile_chars: 7,
          recent_turns: 1,
          recent_chars: 2,
          truncated: false,
        },
        output: null,
        latency_ms: 2000,
        prompt_debug: null,
        error: { code: 'TIMEOUT' },
      },
    },
  },
};
