/** Requests of an attacker over HTTP. Every answer is accepted, whatever its status. */
export type Asked = { status: number; body: Record<string, unknown> };

export type Ask = (method: string, path: string, body?: object | string) => Promise<Asked>;

const PATIENCE_MS = 150_000;

/** @returns a function that sends with this key; an object is sent as JSON, a text unchanged */
export function askWith(url: string, key: string, headers: Readonly<Record<string, string>> = {}): Ask {
  return async (method, path, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        ...headers,
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
  };
}

/** Returns verdict and code of the decision, or the code of the refusal. */
export function verdictOf({ status, body }: Asked): string {
  const { decision } = body as { decision?: { verdict: string; code: string } };
  return decision === undefined ? `${status} ${body.code ?? ''}` : `${decision.verdict} ${decision.code}`;
}

/** @throws if a step that the attack needs fails, because the attack would then test nothing */
export async function expectTo(made: Promise<Asked>, what: string): Promise<Asked> {
  const asked = await made;
  if (asked.status >= 300) throw new Error(`cannot ${what}: ${asked.status} ${JSON.stringify(asked.body)}`);
  return asked;
}
