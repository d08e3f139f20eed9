"""What is only named: titles looked for, works that commentaries discuss, and what people make of what was found."""
