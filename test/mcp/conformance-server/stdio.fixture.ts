/** The fixture as a program that speaks MCP over stdin and stdout, in the era of the first message. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { conformanceServers } from './conformance-server.ts';

serveStdio(conformanceServers({ tools() {}, prompts() {} }));
