/** Requests for input that a tool or prompt of the newer era puts into its result. */
import { inputRequired } from '@modelcontextprotocol/server';
import { z } from 'zod';

export const Name = z.object({ name: z.string() });
export const Confirmation = z.object({ ok: z.boolean() });
export const Color = z.object({ color: z.string() });
export const Context = z.object({ context: z.string() });

export const askName = inputRequired.elicit({ message: 'What is your name?', requestedSchema: Name });
export const askConfirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: Confirmation,
});
export const askColor = inputRequired.elicit({
  message: 'Step 2: What is your favorite color?',
  requestedSchema: Color,
});
export const askContext = inputRequired.elicit({
  message: 'What context should the prompt use?',
  requestedSchema: Context,
});
export const askRoots = inputRequired.listRoots();

export function askModel(question: string) {
  return inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens: 100,
  });
}
