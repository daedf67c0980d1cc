/** `POST /v1/embeddings`. Every vector is the same. */
import { type Protocol, usageOf } from '../protocol.ts';

const VECTOR = [0.25, -0.5, 1];

export const embeddings: Protocol = {
  answer({ body, reply }) {
    const usage = usageOf(reply);
    // A list of numbers is one input: the tokens of a text.
    const isList = Array.isArray(body.input) && typeof body.input[0] !== 'number';
    const inputs = isList ? (body.input as unknown[]) : [body.input];
    return {
      object: 'list',
      data: inputs.map((_, index) => ({
        object: 'embedding',
        index,
        // The SDK asks for base64 unless the caller states a format, and decodes the vectors.
        embedding: body.encoding_format === 'base64' ? base64(VECTOR) : VECTOR,
      })),
      model: body.model,
      ...(usage === null
        ? {}
        : { usage: { prompt_tokens: usage.inputTokens, total_tokens: usage.inputTokens } }),
    };
  },
};

function base64(vector: readonly number[]): string {
  return Buffer.from(Float32Array.from(vector).buffer).toString('base64');
}
