/** A message of JSON-RPC as tests read it. Tests compare the bytes of messages, and read only what they need. */
export type Frame = {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every method
  result?: any;
  error?: { code: number; message: string; data?: unknown };
};

export function isRequest({ id, method }: Frame): boolean {
  return id !== undefined && method !== undefined;
}

export function isResponse({ id, method }: Frame): boolean {
  return id !== undefined && method === undefined;
}
