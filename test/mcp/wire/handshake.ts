import type { Frame } from './frame.ts';
import type { StdioProcess } from './stdio-process.ts';

const INITIALIZE = {
  id: 'init',
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} } },
    clientInfo: { name: 'mandate-raw-client', version: '1.0.0' },
  },
} as const;

/** Opens a connection of the older era. Returns the response to `initialize`. */
export async function initialize(server: StdioProcess): Promise<Frame> {
  const response = await server.request(INITIALIZE);
  server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return response;
}

/** The metadata of each request of the newer era. */
export const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'mandate-raw-client', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: { form: {}, url: {} },
    sampling: {},
    roots: {},
  },
} as const;
