"""What every bench needs: timing, checking, results and how they are written. No bench is known here."""
