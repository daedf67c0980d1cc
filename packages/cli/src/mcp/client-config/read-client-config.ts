/**
 * Reads the configuration of an MCP client. The format is recognized from the text, because the names of files differ.
 */
import { createScanner } from 'jsonc-parser';
import { WrongUse } from '../../exit-codes.ts';
import type { ClientConfig } from './client-config.ts';

const MOST_SERVERS = 1_000;

/** @param path names the file in messages */
export async function readClientConfig(text: string, path: string): Promise<ClientConfig> {
  const config = (await readerOf(text))(text, path);
  if (config !== null && config.servers.length <= MOST_SERVERS) return config;
  if (config !== null)
    throw new WrongUse(`${path} has more than ${MOST_SERVERS} MCP servers`, 'Split the file.');
  throw new WrongUse(
    `${path} has no MCP servers: none of mcpServers, servers and mcp_servers is there`,
    'Name the file in which your client keeps its MCP servers.',
  );
}

/** A JSON text begins with a brace, perhaps after comments. A TOML text never does. */
async function readerOf(text: string) {
  const scanner = createScanner(text, true);
  scanner.scan();
  if (text[scanner.getTokenOffset()] === '{') return (await import('./read-json-config.ts')).readJsonConfig;
  return (await import('./read-toml-config.ts')).readTomlConfig;
}
