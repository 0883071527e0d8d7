/** Who looks at a page. What only a signed-in person may see travels with the person, so a stranger cannot carry it. */

export type Stranger = { readonly kind: 'stranger' }

/** `csrf` goes into every form of the page. */
export type Person = { readonly kind: 'person'; readonly name: string; readonly csrf: string }

export type Viewer = Stranger | Person
