import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { root } from './forge.ts'

const desk = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

const looks = [
  { look: 'light', colorScheme: 'light', size: desk },
  { look: 'dark', colorScheme: 'dark', size: desk },
  { look: 'phone', colorScheme: 'light', size: phone },
] as const

/** Pictures of a story for people to look at, in a folder that git ignores. Whatever was there goes. */
export const openAlbum = (story: string) => {
  const folder = path.join(root, '.screenshots', story)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  let taken = 0
  return {
    folder,
    /** Takes the page in each look, and leaves it as it began: light, as wide as a desk. */
    async take(page: Page, name: string, part: 'page' | 'window' = 'page'): Promise<void> {
      taken += 1
      await page.waitForLoadState()
      if (part === 'page') await page.evaluate('scrollTo(0, 0)')
      for (const { look, colorScheme, size } of looks) {
        await page.setViewportSize(size)
        await page.emulateMedia({ colorScheme })
        const file = path.join(folder, `${String(taken).padStart(2, '0')}-${name}-${look}.png`)
        await page.screenshot({ path: file, fullPage: part === 'page', animations: 'disabled' })
      }
      await page.setViewportSize(desk)
      await page.emulateMedia({ colorScheme: 'light' })
    },
  }
}
