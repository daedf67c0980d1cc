/** The smallest contents that the tools, resources and prompts of the fixture return. */

/** A PNG of one red pixel. */
export const PNG = {
  data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  mimeType: 'image/png',
} as const;

/** A WAV file of one silent sample. */
export const WAV = {
  data: 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQIAAAAAAA==',
  mimeType: 'audio/wav',
} as const;

export function text(value: string) {
  return { type: 'text' as const, text: value };
}

export function answer(value: string) {
  return { content: [text(value)] };
}
