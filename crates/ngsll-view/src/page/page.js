(() => {
  const controls = document.querySelector(".controls");
  const search = document.getElementById("search");
  const order = document.getElementById("order");
  const errors = document.getElementById("errors");
  const count = document.getElementById("count");
  const cards = [...document.querySelectorAll(".card")];
  const number = (card, key) => Number(card.dataset[key] ?? "-Infinity");
  const orders = {
    row: (a, b) => number(a, "row") - number(b, "row"),
    error: (a, b) => number(b, "error") - number(a, "error"),
    confidence: (a, b) => number(b, "confidence") - number(a, "confidence"),
    doubt: (a, b) => number(a, "confidence") - number(b, "confidence"),
    class: (a, b) => a.dataset.class.localeCompare(b.dataset.class),
    value: (a, b) => number(a, "value") - number(b, "value"),
  };
  const sort = () => {
    const sorted = order.value ? [...cards].sort(orders[order.value]) : cards;
    document.querySelector(".cards").append(...sorted);
  };
  const update = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const card of cards) {
      const found = words.every((word) => card.dataset.find.includes(word));
      card.hidden = !found || (errors?.checked && !card.classList.contains("wrong"));
      if (!card.hidden) shown += 1;
    }
    count.value = shown === cards.length ? `${shown} shown` : `${shown} of ${cards.length} shown`;
  };
  controls.addEventListener("input", update);
  order.addEventListener("change", sort);
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.hidden = cards.length < 2;
  // A browser that comes back to the page keeps what was chosen.
  sort();
  update();
})();
