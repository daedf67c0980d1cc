/** A tutor under a manifest: turns, a vector store, an answer without addresses, and notes in categories. */
import { findMandateError } from '@mandate/sdk';
import OpenAI from 'openai';
import { openNotes } from './tutor/notes.ts';
import { openTutor } from './tutor/open-tutor.ts';
import { openVectorStore } from './tutor/vector-store.ts';

const mandate = openTutor();
const principal = { id: 'mia', role: 'user' };
const vectors = openVectorStore();
vectors.save('Tom likes food from Italy.', { store: 'facts', owner: 'tom', expiresAt: null });

const definitions = ['create_cards', 'reset_plan'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: { topic: { type: 'string' } } } },
}));
const functions = {
  create_cards: async ({ topic, level }: { topic: string; level?: string }) =>
    `${level} cards about ${topic}`,
  reset_plan: async () => 'the plan is gone',
};

async function answer(text: string): Promise<string> {
  const turn = await mandate.turn(text, { principal });
  console.log('intent:', turn.intent?.id, turn.entities, 'tools:', turn.tools);

  const known: string[] = [];
  for (const { store } of turn.stores) {
    const memory = turn.mandate.memory(store, { client: vectors.client(store) });
    known.push(...(await memory.search({ query: text })));
  }
  console.log('known:', known);

  const openai = turn.mandate.wrap(new OpenAI());
  const tools = turn.mandate.createExecutor({ tools: functions });
  const { choices } = await openai.chat.completions.create({
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: `You are a tutor. You know: ${known.join(' ')}` },
      { role: 'user', content: text },
    ],
    tools: turn.filterTools(definitions),
  });
  const { content, tool_calls: calls = [] } = choices[0]?.message ?? {};
  for (const call of calls) {
    if (call.type !== 'function') continue;
    const { name, arguments: args } = call.function;
    const result = tools.run(name as 'create_cards', JSON.parse(args), { callId: call.id });
    console.log(`${name}:`, await result.catch(said));
  }

  const { saves, decidedBy } = await turn.save({ text: { agent: content ?? '' } });
  for (const save of saves) vectors.save(text, save);
  console.log(
    'saved by',
    decidedBy,
    saves.map(({ store }) => store),
  );
  return turn.output(content ?? 'Here are your cards.');
}

console.log('answer:', await answer('My name is Mia.'));
console.log('answer:', await answer('Make flashcards about food for Mia'));

const notes = mandate.with({ principal }).memory('notes', {
  client: openNotes(),
  onDecision: ({ notes: changes = [] }) => changes.forEach(({ code }) => void console.log('note:', code)),
});
const inAYear = Date.now() + 365 * 86_400_000;
const id = await notes.create({ category: '/daily', content: 'Learned ten words.', expiresAt: inAYear });
await notes.move(id, { category: '/agreed' });
console.log('delete:', await notes.delete(id).catch(said));

/** Returns what the model should read. */
function said(error: unknown): string {
  return findMandateError(error)?.message ?? String(error);
}
