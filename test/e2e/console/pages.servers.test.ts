import { describeWithChromium } from '@mandate/testing';
import { afterAll, beforeAll, test } from 'vitest';
import { openScene, type Scene } from './console-scene.ts';
import { lookAtEveryPage } from './every-page.ts';

describeWithChromium('every page of the console', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  test('has no fault of accessibility in light and dark, and fits the window', async () => {
    // In the dark, only colours differ.
    const schemes = [
      ['light', null],
      ['dark', ['color-contrast']],
    ] as const;
    await lookAtEveryPage(scene, { schemes });
  });

  test('has no fault of accessibility at 390 px, and fits the window', async () => {
    // On a phone, only places and sizes differ.
    const rules = ['target-size', 'scrollable-region-focusable', 'color-contrast'];
    await lookAtEveryPage(scene, { isPhone: true, schemes: [['light', rules]] });
  });
});
