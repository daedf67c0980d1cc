/** A client of Anthropic under a mandate. The client is used as before. */
import Anthropic from '@anthropic-ai/sdk';
import { findMandateError, mandate } from '@mandate/sdk';

const claude = mandate.wrap(new Anthropic(), {
  agentId: 'geographer',
  mandate: { maxCostTotal: 1, allowedModels: ['claude-sonnet-4-6'] },
});

for (const model of ['claude-sonnet-4-6', 'claude-opus-4-1']) {
  const reply = await claude.messages
    .create({
      model,
      max_tokens: 500,
      messages: [{ role: 'user', content: 'Which city is the capital of France?' }],
    })
    .then(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join(''))
    .catch((error) => findMandateError(error)?.message ?? Promise.reject(error));
  console.log(reply);
}
console.log('spent', (await mandate.getCost('geographer')).llmMicros, 'micro-dollars');
