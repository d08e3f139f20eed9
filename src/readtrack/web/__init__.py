"""What both doors share: transactions, who asks, rendering, forms, errors as answers."""
