import { z } from 'zod';

/** The console's own settings. Their environment variables begin with MANDATE_. */
export const consoleSettings = z.object({
  CONSOLE_OIDC_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'the file that says how people sign in through an identity provider; oidc.yaml in the data folder when absent',
    ),
});
