// Creates elements. Text is always set as text: nothing here parses markup.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Record<string, string | number | boolean | null | undefined>} Attributes */

/**
 * An HTML element. Attributes that are null or false are left out.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(made, key, value);
  made.append(...children);
  return made;
}

/**
 * An SVG element.
 * @param {string} name
 * @param {Attributes} [attributes]
 * @param {...(Node | string)} children
 */
export function svg(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) setAttribute(made, key, value);
  made.append(...children);
  return made;
}

/** Sets or removes an attribute; does nothing if it has that value already. */
export function setAttribute(node, key, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(key)) node.removeAttribute(key);
  } else {
    const text = value === true ? "" : String(value);
    if (node.getAttribute(key) !== text) node.setAttribute(key, text);
  }
}

/** Sets the text of an element; does nothing if it has that text already. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Adds or removes children at the end of the element until there are `count`. */
export function keep(parent, count, make) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(make(parent.children.length));
}

/** An untrusted text without invisible characters and changes of direction. */
export function harmless(text) {
  return String(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
}

/** The same for use in a sentence: its direction does not affect the text around it. */
export function isolated(text) {
  return `\u2068${harmless(text)}\u2069`;
}

export function reducedMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
