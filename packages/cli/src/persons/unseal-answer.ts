/** Replaces sealed texts in an answer of the audit with the clear texts, for a key that may read them. */
import type { ApiClient } from '@mandate/client';
import { SEALED_TEXTS, type Unsealed } from '@mandate/privacy';

/**
 * The maximum number of texts in one request, and the maximum number of characters of these texts. The gateway limits
 * the body of a request.
 */
const MOST_TEXTS = 1_000;
const MOST_CHARACTERS = 500_000;

/** The text that replaces the text of a forgotten person. */
const ERASED = '[erased]';

/** Returns the answer with every readable token replaced by its text. Other tokens stay. */
export async function unsealAnswer<Answer>(api: ApiClient, answer: Answer): Promise<Answer> {
  const json = JSON.stringify(answer);
  const tokens = new Set(json.match(SEALED_TEXTS) ?? []);
  if (tokens.size === 0) return answer;
  const texts = new Map<string, string>();
  for (const sealed of batches(tokens)) {
    const { unsealed } = await api.post<{ unsealed: readonly Unsealed[] }>('/v1/persons/unseal', { sealed });
    for (const [index, token] of sealed.entries()) texts.set(token, shown(token, unsealed[index]));
  }
  // A token is found in JSON unchanged, because JSON escapes none of its characters.
  return JSON.parse(json.replace(SEALED_TEXTS, (token) => JSON.stringify(texts.get(token)).slice(1, -1)));
}

function shown(token: string, unsealed: Unsealed | undefined): string {
  if (unsealed !== undefined && 'text' in unsealed) return unsealed.text;
  return unsealed !== undefined && 'erased' in unsealed ? ERASED : token;
}

function* batches(tokens: Iterable<string>): Generator<readonly string[]> {
  let batch: string[] = [];
  let characters = 0;
  for (const token of tokens) {
    if (batch.length === MOST_TEXTS || (batch.length > 0 && characters + token.length > MOST_CHARACTERS)) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(token);
    characters += token.length;
  }
  yield batch;
}
