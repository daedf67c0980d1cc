/** What the models of the research say. Each answer uses what a tool, or the step before, has returned. */
import type { ChatReply, ChatScript } from './model-server.ts';
import { BOARD_HEAD, type Notes } from './research-files.ts';

/** The model of the last step. */
const SUMMARIZER = 'gpt-4-turbo';

/**
 * @param isSilent is called when the researcher has posted, and is asked what it found. True: the model never answers
 */
export function conversation({ folder, board }: Notes, isSilent: () => boolean): ChatScript {
  const turns: ((told: string) => ChatReply)[] = [
    () => ({
      call: { tool: 'search', args: { path: folder, pattern: '**/*tea*' } },
      usage: { input: 420, output: 24 },
    }),
    (found) => ({
      call: { tool: 'read', args: { path: found.split('\n')[0] ?? '' } },
      usage: { input: 488, output: 20 },
    }),
    (note) => {
      const newText = `${BOARD_HEAD}\n- ${note.trim()}`;
      return {
        call: { tool: 'post', args: { path: board, edits: [{ oldText: BOARD_HEAD, newText }] } },
        usage: { input: 552, output: 62 },
      };
    },
    (difference) => ({
      text: `I posted: ${/^\+- (.*)$/m.exec(difference)?.[1]}`,
      usage: { input: 690, output: 18 },
    }),
  ];
  return (model, messages) => {
    const told = messages.at(-1)?.content ?? '';
    if (model === SUMMARIZER)
      return {
        text: told.includes('before our era') ? 'Tea is more than 2,000 years old.' : 'I was told nothing.',
        usage: { input: 130, output: 9 },
      };
    const turn = messages.filter(({ role }) => role === 'assistant').length;
    if (turn === turns.length - 1 && isSilent()) return null;
    return turns[turn]?.(told) ?? null;
  };
}
