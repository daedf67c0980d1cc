/** A client of OpenAI under a budget. The client is used as before. */
import { findMandateError, mandate } from '@mandate/sdk';
import OpenAI from 'openai';

const openai = mandate.wrap(new OpenAI(), {
  agentId: 'geographer',
  mandate: { maxCostTotal: 0.02, allowedModels: ['gpt-4o'] },
});

const ask = (model: string) =>
  openai.chat.completions
    .create({
      model,
      max_completion_tokens: 500,
      messages: [{ role: 'user', content: 'Which city is the capital of France?' }],
    })
    .then((reply) => reply.choices[0]?.message.content)
    .catch((error) => findMandateError(error)?.message ?? Promise.reject(error));

// A call reserves its expected cost. Its actual cost can be higher, so the third call can end above the budget.
for (let call = 1; call <= 4; call += 1) console.log(await ask('gpt-4o'));
console.log(await ask('o1-pro'));
console.log('spent', (await mandate.getCost('geographer')).llmMicros, 'micro-dollars');
