/** Tools that send notifications while they run, and a tool that closes its stream so that the client asks again. */
import { setTimeout as pause } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { answer } from './samples.ts';

/** The suite wants the notifications apart, so that a proxy which collects them is seen. */
const BETWEEN_MESSAGES_MS = 50;

export function addMessagesTools(server: McpServer): void {
  server.registerTool('test_tool_with_logging', { description: 'Logs three times.' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'Tool execution started');
    await pause(BETWEEN_MESSAGES_MS);
    await mcpReq.log('info', 'Tool processing data');
    await pause(BETWEEN_MESSAGES_MS);
    await mcpReq.log('info', 'Tool execution completed');
    return answer('Logged three times.');
  });
  server.registerTool('test_logging_tool', { description: 'Logs once.' }, async ({ mcpReq }) => {
    await mcpReq.log('info', 'The only message');
    return answer('Logged once.');
  });
  server.registerTool('test_tool_with_progress', { description: 'Reports progress.' }, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await pause(BETWEEN_MESSAGES_MS);
      if (progressToken === undefined) continue;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    }
    return answer('Reported progress.');
  });
  server.registerTool('test_reconnection', { description: 'Closes its stream.' }, async ({ http }) => {
    await pause(BETWEEN_MESSAGES_MS);
    http?.closeSSE?.();
    await pause(BETWEEN_MESSAGES_MS);
    return answer('Answered after the stream was closed.');
  });
}
