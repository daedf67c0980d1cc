import { z } from 'zod';

/** The same document for every process that publishes, decides or records. */
export const privacySettings = z.object({
  PRIVACY_PATH: z
    .string()
    .min(1)
    .optional()
    .describe(
      'what of people is kept from the record, read again when it changes; privacy.yaml in the data folder when absent, and nothing where there is none',
    ),
});
