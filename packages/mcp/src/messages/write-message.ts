/** Writes the messages that the proxy itself sends. Ids are given as JSON, so that each keeps its spelling. */

export function resultFrame(id: string, result: object): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result)}}`;
}

export function errorFrame(id: string, error: { code: number; message: string; data?: object }): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`;
}

export function requestFrame(id: string, method: string, params: object): string {
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
}

export function notificationFrame(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}
