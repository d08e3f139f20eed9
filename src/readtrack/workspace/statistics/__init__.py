"""What was read over time, by one person or by the team: figures, their drawings, and the numbers behind them."""
