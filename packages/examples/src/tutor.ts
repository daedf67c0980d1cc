/** A tutor under a manifest: turns, a vector store, an answer without addresses, and notes in categories. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileManifest, loadManifest } from '@mandate/manifest';
import { findMandateError, Mandate, type MandateDocument } from '@mandate/sdk';
import OpenAI from 'openai';
import { openNotes } from './tutor/notes.ts';
import { openVectorStore } from './tutor/vector-store.ts';

const file = (name: string) => readFileSync(join(import.meta.dirname, 'tutor', name));
const loaded = loadManifest({ manifest: file('manifest.yaml'), policy: file('policy.yaml') });
if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
const [policy] = compileManifest(loaded).policies as readonly MandateDocument[];

/** The categories of notes: notes of a day live for a week, and nobody deletes what was agreed. */
const categories = {
  notes: {
    categories: {
      daily: { policies: { defaultTtl: 7 } },
      agreed: { policies: { permissions: { delete: false } } },
    },
  },
};
const mandate = new Mandate({
  agentId: 'tutor',
  mandate: { ...policy, governance: { ...policy?.governance, categories } },
});
const principal = { id: 'mia', role: 'user' };
const vectors = openVectorStore();
vectors.save('Tom likes food from Italy.', { owner: 'tom', expiresAt: null });

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

  const memory = turn.mandate.memory('episodic', { client: vectors });
  const known = await memory.search({ query: text });
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

const notes = mandate.with({ principal }).memory('notes', { client: openNotes() });
const id = await notes.create({ category: '/daily', content: 'Learned ten words.' });
await notes.move(id, { category: '/agreed' });
console.log('delete:', await notes.delete(id).catch(said));

/** Returns what the model should read. */
function said(error: unknown): string {
  return findMandateError(error)?.message ?? String(error);
}
