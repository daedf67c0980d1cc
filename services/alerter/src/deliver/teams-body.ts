/**
 * The body for a workflow of Teams (Power Automate): an Adaptive Card in an attachment. Text of agents is only in text
 * runs. A card does not read Markdown in a text run, so no text becomes a link, a list or a heading.
 */
import { type AlertText, fitted } from './alert-text.ts';

/** Teams refuses a message above 28 KB. A UTF-16 unit has at most three bytes. */
const MOST_IN_MESSAGE = 2_000;
const MOST_IN_FACT = 200;

export function teamsBody({ title, message, facts, link }: AlertText): string {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.5',
    body: [
      { type: 'TextBlock', text: title, weight: 'Bolder', size: 'Medium', wrap: true },
      runs({ type: 'TextRun', text: fitted(message, MOST_IN_MESSAGE) }),
      ...facts.map(([name, value]) =>
        runs(
          { type: 'TextRun', text: `${name}: `, weight: 'Bolder' },
          { type: 'TextRun', text: fitted(value, MOST_IN_FACT) },
        ),
      ),
    ],
    ...(link === null
      ? {}
      : { actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: link }] }),
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return JSON.stringify({ type: 'message', attachments: [attachment] });
}

function runs(...inlines: object[]) {
  return { type: 'RichTextBlock', inlines };
}
