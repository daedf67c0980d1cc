/**
 * Measures what the context builder adds to a request, apart from the time of its model. The model server answers at
 * once. The rival is the same call of the same client, without a mandate, a decision, a record and a reading of the
 * answer.
 */
import Anthropic from '@anthropic-ai/sdk';
import { type BuilderRequest, cutContext, runManifestBuilder } from '@mandate/context';
import { anthropicModel } from '@mandate/context/anthropic';
import { Mandate } from '@mandate/sdk';
import { startModelServer } from '@mandate/testing/model-server';
import { compare } from '../measure/compare.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';

const CALLS = 500;

const MANDATE = {
  maxCostPerCall: 0.01,
  allowedTools: [],
  allowedModels: ['claude-haiku-4-5*'],
  rateLimit: { maxCalls: 100_000, windowMs: 60_000 },
};

const PICKED = JSON.stringify({
  focus: 'Who Ann is to the user',
  question_type: 'relationship_identity',
  context_early: ["Ann is the user's sister", 'They live in Graz'],
  context_reinforce: ['Ann was born in 1990'],
  answer_guidance: ['Name Ann as the sister'],
});

/** A request as large as a real one: a profile, and ten turns. */
const REQUEST: BuilderRequest = {
  message: 'Who is Ann?',
  relationship: 'Ann: sister, lives in Graz. '.repeat(40),
  profile: 'Tom, 41, plays the cello. '.repeat(150),
  recent: Array.from({ length: 10 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: 'A turn of the conversation. '.repeat(30),
  })),
};

export async function contextBuilder(): Promise<Row[]> {
  const server = await startModelServer({ text: PICKED });
  const mandate = new Mandate({ mandate: MANDATE });
  const client = new Anthropic({ apiKey: 'sk-bench', baseURL: server.url, maxRetries: 0 });
  const model = anthropicModel(client, mandate);
  const requests = Array.from({ length: CALLS }, () => REQUEST);
  const build = async (request: BuilderRequest) => {
    let records = 0;
    const record = () => {
      records += 1;
    };
    const built = await runManifestBuilder(request, { model, record });
    if (built === null || records !== 1) throw new Error('the builder failed');
  };
  const { sent } = cutContext(REQUEST);
  const bare = async () => {
    const { content } = await client.messages.create({
      ...{ model: 'claude-haiku-4-5', max_tokens: 700, temperature: 0, system: 'Pick what matters.' },
      messages: [{ role: 'user', content: JSON.stringify(sent) }],
    });
    if (content.length === 0) throw new Error('the model server failed');
  };
  try {
    return await compare({
      pairs: 5,
      ours: () => oneByOne(requests, build),
      rival: { what: 'the bare call of the model', run: () => oneByOne(requests, bare) },
      figures: {
        p50Ms: { what: 'a context manifest, with a model that answers at once: p50', unit: 'ms' },
        p99Ms: { what: 'a context manifest, with a model that answers at once: p99', unit: 'ms' },
      },
    });
  } finally {
    await mandate.close();
    await server.close();
  }
}
