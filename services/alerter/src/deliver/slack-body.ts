/**
 * The body for an incoming webhook of Slack. Slack reads `<`, `>` and `&` as markup: links, and mentions of people and
 * channels. Escaped, they are plain letters. `verbatim` stops Slack from making links and mentions of other text.
 */
import { type AlertText, fitted } from './alert-text.ts';

/** Slack refuses a section with more than 3,000 characters. */
const MOST_IN_SECTION = 3_000;
/** There are at most 15 facts in one section. */
const MOST_IN_FACT = 196;
const MOST_IN_NOTICE = 1_000;

export function slackBody({ title, message, facts, link }: AlertText): string {
  const lines = facts.map(
    ([name, value]) => `${name}: ${fitted(value, MOST_IN_FACT - name.length, escaped)}`,
  );
  const blocks = [
    { type: 'header', text: plain(title) },
    section(fitted(message, MOST_IN_SECTION, escaped)),
    section(lines.join('\n')),
    ...(link === null ? [] : [{ type: 'actions', elements: [button(link)] }]),
  ];
  const text = `${title}. ${fitted(message, MOST_IN_NOTICE, escaped)}`;
  return JSON.stringify({ text, unfurl_links: false, unfurl_media: false, blocks });
}

function section(text: string) {
  return { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } };
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false };
}

function button(url: string) {
  return { type: 'button', action_id: 'open', text: plain('Open in the console'), url };
}

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

function escaped(letter: string): string {
  return ENTITIES.get(letter) ?? letter;
}
