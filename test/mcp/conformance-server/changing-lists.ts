/** Tools that change the lists of tools and prompts while clients are connected. */
import type { McpServer } from '@modelcontextprotocol/server';
import { answer } from './samples.ts';

/** What has been added to the lists. The servers of one process share it, because one serves each request. */
export type Lists = { hasMoreTools: boolean; hasMorePrompts: boolean };

/** Tells clients of the newer era that subscribed. Clients of the older era are told by the server itself. */
export type Announce = { tools(): void; prompts(): void };

export function addChangingLists(server: McpServer, lists: Lists, announce: Announce): void {
  const moreTools = server.registerTool('test_added_tool', { description: 'Comes and goes.' }, () =>
    answer('The added tool ran.'),
  );
  const morePrompts = server.registerPrompt('test_added_prompt', { description: 'Comes and goes.' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'The added prompt.' } }],
  }));
  if (!lists.hasMoreTools) moreTools.disable();
  if (!lists.hasMorePrompts) morePrompts.disable();
  server.registerTool('test_trigger_tool_change', { description: 'Changes the list of tools.' }, () => {
    lists.hasMoreTools = !lists.hasMoreTools;
    if (lists.hasMoreTools) moreTools.enable();
    else moreTools.disable();
    announce.tools();
    return answer('The list of tools has changed.');
  });
  server.registerTool('test_trigger_prompt_change', { description: 'Changes the list of prompts.' }, () => {
    lists.hasMorePrompts = !lists.hasMorePrompts;
    if (lists.hasMorePrompts) morePrompts.enable();
    else morePrompts.disable();
    announce.prompts();
    return answer('The list of prompts has changed.');
  });
}
