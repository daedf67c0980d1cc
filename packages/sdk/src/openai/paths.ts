/** The calls of OpenAI's API that are decided, or run without a decision. */
import type { ApiPaths } from '../adapters/classify-path.ts';

/** The shape of a reply: the places of its usage and its text. */
export type ReplyKind = 'chat' | 'completions' | 'responses' | 'embeddings';

export const OPENAI_PATHS: ApiPaths<ReplyKind> = {
  decided: new Map([
    ['/chat/completions', 'chat'],
    ['/completions', 'completions'],
    ['/responses', 'responses'],
    ['/responses/compact', 'responses'],
    ['/decisions', 'responses'],
    ['/embeddings', 'embeddings'],
  ]),
  free: [
    '/assistants',
    '/assistants/*',
    '/batches/*/cancel',
    '/chat/completions/*',
    '/conversations',
    '/conversations/*',
    '/conversations/*/items',
    '/files',
    '/fine_tuning/jobs/*/cancel',
    '/fine_tuning/jobs/*/pause',
    '/live/sessions/*/hangup',
    '/moderations',
    '/realtime/calls/*/hangup',
    '/realtime/calls/*/reject',
    '/responses/*/cancel',
    '/responses/input_tokens',
    '/threads',
    '/threads/*',
    '/threads/*/messages',
    '/threads/*/messages/*',
    '/threads/*/runs/*/cancel',
    '/uploads',
    '/uploads/*/cancel',
    '/uploads/*/complete',
    '/uploads/*/parts',
  ],
};
