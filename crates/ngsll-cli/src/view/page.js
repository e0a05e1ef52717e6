(() => {
  const controls = document.querySelector(".controls");
  const search = document.getElementById("search");
  const errors = document.getElementById("errors");
  const count = document.getElementById("count");
  const cards = [...document.querySelectorAll(".card")];
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
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.hidden = cards.length < 2;
  update();
})();
